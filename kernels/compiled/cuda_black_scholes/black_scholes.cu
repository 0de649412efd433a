// Prices of European call and put options by the formula of Black and Scholes. The normal distribution is the polynomial of
// Abramowitz and Stegun 26.2.17, exact within 7.5e-8.
//
// Shows: floating-point work without divergence: division, square root, exponential, logarithm (MUFU and code around it).
#include "smsim_cuda.h"

const float kRate = 0.02f;
const float kVolatility = 0.30f;

__device__ float normal_distribution(float x) {
    const float t = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    const float series =
        t * (0.319381530f + t * (-0.356563782f + t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f))));
    const float upper = 0.39894228f * expf(-0.5f * x * x) * series;
    return x > 0 ? 1.0f - upper : upper;
}

extern "C" __global__ void black_scholes(int n, const float *price, const float *strike, const float *years, float *call,
                                         float *put) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    const float root = sqrtf(years[i]);
    const float d1 = (logf(price[i] / strike[i]) + (kRate + 0.5f * kVolatility * kVolatility) * years[i]) / (kVolatility * root);
    const float d2 = d1 - kVolatility * root;
    const float discounted = strike[i] * expf(-kRate * years[i]);
    const float first = normal_distribution(d1);
    const float second = normal_distribution(d2);
    call[i] = price[i] * first - discounted * second;
    put[i] = discounted * (1.0f - second) - price[i] * (1.0f - first);
}
