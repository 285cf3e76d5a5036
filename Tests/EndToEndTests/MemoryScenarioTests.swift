import Foundation
import ObsServer
import ObsTestSupport
import Testing

/// Scenarios about memory, each in a process of its own, where nothing else allocates.
@Suite(
  "Scenarios about memory",
  .serialized,
  .timeLimit(.minutes(3)),
  .measuresMemory
)
struct MemoryScenarioTests {
  @Test("scenario 19: peers that never read cost at most 64 KiB each, sockets included")
  func neverReading() async {
    await #expect(processExitsWith: .success) {
      let store = Store()
      try await withServer(.unlimited()) { server, url in
        try await server.register(store)
        let port = try #require(server.address).port
        let witness = try await ProtocolClient.connect(url)
        witness.subscribe("w", "big", ["bytes": 8000])
        _ = try await witness.value("w")
        for _ in 0..<300 { _ = try await witness.call("bump") }
        let before = try ProcessMemory.residentKiB()

        var stalled: [RawPeer] = []
        for _ in 0..<30 {
          stalled.append(
            try await .subscribed(
              port: UInt16(port),
              to: "big",
              #"{"bytes":8000}"#,
              receiveBuffer: 4096
            )
          )
        }
        // From when all are stalled on, every change is skipped for every one of them.
        while await server.statistics().framesSkipped < 30 * 300 {
          let (_, before) = try await witness.call("bump")
          #expect(before.count == 1)
        }
        let resident = try ProcessMemory.residentKiB() - before
        let queued = try ProcessMemory.sendQueuesKiB(port: port)
        #expect(queued > 30 * 4, "the peers are not stalled: \(queued) KiB queued")
        #expect(resident + queued <= 30 * 64, "\(resident) KiB resident, \(queued) KiB queued")
        for peer in stalled { peer.close() }
      }
    }
  }

  @Test("scenario 20: a reader that slept gets only the newest, and memory was flat meanwhile")
  func sleepingReader() async {
    await #expect(processExitsWith: .success) {
      let store = Store()
      try await withServer(.unlimited()) { server, url in
        try await server.register(store)
        let sleeper = try await RawPeer.subscribed(
          port: UInt16(try #require(server.address).port),
          to: "big",
          #"{"bytes":20000}"#,
          receiveBuffer: 4096
        )
        let witness = try await ProtocolClient.connect(url)
        witness.subscribe("w", "counter")
        _ = try await witness.value("w")
        func change(_ count: Int) async throws {
          for _ in 0..<count { _ = try await witness.call("bump") }
        }
        try await change(500)
        let skipped = await server.statistics().framesSkipped
        #expect(skipped > 400)
        let before = try ProcessMemory.residentKiB()
        try await change(2000)
        let grown = try ProcessMemory.residentKiB() - before
        // The 2,000 values that it did not read are 40 MB.
        #expect(grown < 2048, "\(grown) KiB")
        #expect(await server.statistics().framesSkipped == skipped + 2000)

        var messages = 0
        var last = ""
        while !last.contains(#""data":"2500 "#) {
          last = try #require(try await sleeper.nextMessage())
          messages += 1
        }
        #expect(messages < 20)
        #expect(last.contains(#""skipped":"#))
        sleeper.close()
      }
    }
  }

  @Test("scenario 28: connections that have received much leave nothing behind")
  func memoryReturns() async {
    await #expect(processExitsWith: .success) {
      let store = Store()
      let records = Mailbox<LogRecord>()
      try await withServer(.unlimited { $0.tell(records) }) { server, url in
        try await server.register(store)
        let port = UInt16(try #require(server.address).port)
        let witness = try await ProtocolClient.connect(url)
        /// Twenty connections receive a hundred values of 20 KB each, and go.
        func cycle() async throws {
          var peers: [RawPeer] = []
          for _ in 0..<20 {
            let peer = try await RawPeer.subscribed(port: port, to: "big", #"{"bytes":20000}"#)
            _ = try await peer.nextMessage()
            peers.append(peer)
          }
          for _ in 0..<100 {
            let count = try await witness.call("bump").answer.data
            for peer in peers {
              let message = try #require(try await peer.nextMessage())
              #expect(message.contains(#""data":"\#(count) "#))
            }
          }
          for peer in peers { peer.close() }
          for _ in 0..<20 { _ = await records.next { $0.message == "connection ended" } }
          _ = try await witness.call("bump")
          #expect(await server.statistics().liveQueries == 0)
        }
        try await cycle()
        let before = try ProcessMemory.residentKiB()
        for _ in 0..<4 { try await cycle() }
        let grown = try ProcessMemory.residentKiB() - before
        // What the 80 connections received is 160 MB.
        #expect(grown < 4096, "\(grown) KiB")
      }
    }
  }
}
