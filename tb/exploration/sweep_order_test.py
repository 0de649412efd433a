"""The points of a sweep are handed to workers in an order that lets all workers end at about the same time."""

import unittest

import sweep_support
from smsim.runner import Job, Waiting


def jobs(*kernels):
    return [Job(str(number), kernel, (), 1) for number, kernel in enumerate(kernels)]


class Order(unittest.TestCase):
    def taken(self, waiting, count):
        return [waiting.take().kernel for _ in range(count)]

    def test_kernels_of_unknown_duration_take_turns(self):
        self.assertEqual(self.taken(Waiting(jobs("a", "a", "a", "b", "b")), 5), ["a", "b", "a", "b", "a"])

    def test_a_kernel_of_unknown_duration_comes_before_all_others(self):
        waiting = Waiting(jobs("a", "b"))
        waiting.learn("a", 100)
        self.assertEqual(self.taken(waiting, 2), ["b", "a"])

    def test_the_kernel_with_the_longest_mean_comes_first(self):
        waiting = Waiting(jobs("a", "b", "a", "b"))
        for kernel, seconds in (("a", 1), ("b", 4), ("b", 0.5)):
            waiting.learn(kernel, seconds)
        self.assertEqual(self.taken(waiting, 4), ["b", "b", "a", "a"])
        self.assertEqual(len(waiting), 0)

    def test_points_of_a_kernel_keep_their_order_also_when_one_is_given_back(self):
        waiting = Waiting(jobs("a", "a", "a"))
        first = waiting.take()
        waiting.give_back(first)
        self.assertEqual([waiting.take().key for _ in range(3)], ["0", "1", "2"])


if __name__ == "__main__":
    sweep_support.main()
