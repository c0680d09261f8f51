"""Parses the responses of standard input with h11, and writes a verdict for each: see PeerParser.swift of the tests."""
import sys

import h11

GREETING = [("Host", "a"), ("Connection", "upgrade"), ("Upgrade", "x")]


def judge(data, is_head):
    connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=1 << 20)
    connection.send(h11.Request(method="HEAD" if is_head else "GET", target="/", headers=GREETING))
    connection.send(h11.EndOfMessage())
    if data:
        connection.receive_data(data)
    status, body, closed = 0, b"", False
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            if closed:
                return None
            connection.receive_data(b"")
            closed = True
        elif isinstance(event, h11.InformationalResponse) and event.status_code == 101:
            return 101, False, b"", []
        elif isinstance(event, h11.Response):
            status = event.status_code
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.EndOfMessage):
            idle = connection.their_state is h11.DONE and connection.our_state is h11.DONE
            return status, idle and not closed and not connection.trailing_data[0], body, event.headers
        elif isinstance(event, h11.ConnectionClosed):
            return None


def main():
    stream, output = sys.stdin.buffer, []
    while head := stream.read(5):
        data = stream.read(int.from_bytes(head[1:], "big"))
        try:
            verdict = judge(data, head[0] == 1)
        except h11.ProtocolError:
            verdict = None
        if verdict is None:
            output.append("-")
        else:
            status, reusable, body, fields = verdict
            trailers = b"".join(name.lower() + b":" + value + b"\n" for name, value in fields)
            output.append(f"{status} {int(reusable)} .{body.hex()} .{trailers.hex()}")
    print(f"h11 {h11.__version__}", *output, sep="\n")


main()
