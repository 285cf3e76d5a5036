internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// An HTTP answer that is read piece by piece while it comes.
final class Download: NSObject, URLSessionDataDelegate {
  /// What of an answer comes, in order.
  enum Piece: Sendable {
    case status(Int)
    case bytes(Data)
  }

  private let feed: AsyncThrowingStream<Piece, any Error>.Continuation

  private init(_ feed: AsyncThrowingStream<Piece, any Error>.Continuation) { self.feed = feed }

  /// Fetches an address; cancelling the reader ends it.
  static func pieces(of url: URL) -> AsyncThrowingStream<Piece, any Error> {
    let (stream, feed) = AsyncThrowingStream.makeStream(of: Piece.self)
    // One queue of its own, so that pieces stay in order.
    let session = URLSession(
      configuration: .ephemeral,
      delegate: Download(feed),
      delegateQueue: OperationQueue.serial
    )
    let task = session.dataTask(with: url)
    feed.onTermination = { _ in task.cancel() }
    task.resume()
    session.finishTasksAndInvalidate()
    return stream
  }

  func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    feed.yield(.status((response as? HTTPURLResponse)?.statusCode ?? 0))
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    feed.yield(.bytes(data))
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    feed.finish(throwing: error)
  }
}

extension OperationQueue {
  fileprivate static var serial: OperationQueue {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    return queue
  }
}
