#include "session/buffers.h"

#include "model/launch/contents.h"

namespace smsim::session {

bool make_buffers(Session &session, std::span<const launch::Argument> arguments, const launch::BufferLayout &layout) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].is_buffer) {
            session.map(layout.addresses[i], arguments[i].bytes(), arguments[i].name);
        }
    }
    session.place_local_memory(layout.end);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const launch::Argument &buffer = arguments[i];
        if (!buffer.is_buffer) {
            continue;
        }
        // Zeros too: then the L2 holds what the host writes, and a library's memory may start with arbitrary contents.
        launch::Contents contents(buffer.type, buffer.count, buffer.init, buffer.place);
        if (!session.fill(layout.addresses[i], contents)) {
            return false;
        }
    }
    return true;
}

} // namespace smsim::session
