import ObsModel
import ObsQuery
import ObsWire
import Testing

/// A query over typed models is evaluated again for the properties that it read, and for no other.
@Suite("Exposure: what a query depends on", .timeLimit(.minutes(5)))
@ObsActor
struct ExposureDependencyTests {
  let board = Tracker("a", "b!", "c")

  @Test("A field of the board depends on that property alone")
  func oneField() async throws {
    let watch = try await Watch("board.title", board)
    #expect(watch.answer == #""Triage""#)
    #expect(await watch.causes { board.secret = "other" } == 0)
    #expect(await watch.causes { board.add("d") } == 0)
    #expect(await watch.causes { board.items[0].title = "z" } == 0)
    #expect(await watch.causes { board.lead = Person("Ada", "L") } == 0)
    #expect(await watch.causes { board.title = "Tuesday" } == 1)
    #expect(watch.answer == #""Tuesday""#)
    await watch.end()
  }

  @Test("A count with a filter depends on the list and on the filtered field of each item")
  func filter() async throws {
    let watch = try await Watch("length(board.items[?state == 'open'])", board)
    #expect(watch.answer == "3")
    #expect(await watch.causes { board.title = "Tuesday" } == 0)
    #expect(await watch.causes { board.items[1].title = "z" } == 0)
    #expect(await watch.causes { board.items[1].labels = ["x"] } == 0)
    #expect(await watch.causes { board.items[1].state = .closed } == 1)
    #expect(watch.answer == "2")
    // An item that came later counts like the others.
    #expect(await watch.causes { board.add("d") } == 1)
    #expect(watch.answer == "3")
    #expect(await watch.causes { board.items[3].title = "e" } == 0)
    #expect(await watch.causes { board.items[3].state = .closed } == 1)
    #expect(watch.answer == "2")
    // An item that left does not count any more.
    let gone = board.items[3]
    #expect(await watch.causes { board.items.removeLast() } == 1)
    #expect(await watch.causes { gone.state = .open } == 0)
    await watch.end()
  }

  @Test("A change of many properties in one turn causes one evaluation")
  func oneTurn() async throws {
    let watch = try await Watch("length(board.items[?state == 'open'])", board)
    let count = await watch.causes {
      for item in board.items { item.state = .closed }
      board.add("d")
    }
    #expect(count == 1)
    #expect(watch.answer == "1")
    await watch.end()
  }

  @Test("The length of a list depends on the list and on no item")
  func length() async throws {
    let watch = try await Watch("length(board.items)", board)
    #expect(await watch.causes { board.items[0].state = .closed } == 0)
    #expect(await watch.causes { board.items.removeLast() } == 1)
    #expect(watch.answer == "2")
    await watch.end()
  }

  @Test("The names and the number of an object's fields depend on nothing")
  func names() async throws {
    let watch = try await Watch("[keys(board), length(board)]", board)
    #expect(watch.answer == #"[["byID","items","lead","open","rooms","title"],6]"#)
    let count = await watch.causes {
      board.title = "Tuesday"
      board.lead = Person("Ada", "L")
      board.items = []
    }
    #expect(count == 0)
    await watch.end()
  }

  @Test("An element of a list depends on the list and on what is read of that item")
  func element() async throws {
    let watch = try await Watch("board.items[1].title", board)
    #expect(await watch.causes { board.items[0].title = "z" } == 0)
    #expect(await watch.causes { board.items[1].title = "y" } == 1)
    #expect(watch.answer == #""y""#)
    #expect(await watch.causes { board.items.remove(at: 0) } == 1)
    #expect(watch.answer == #""c""#)
    await watch.end()
  }

  @Test("An optional is followed into nil and out of it")
  func optional() async throws {
    let watch = try await Watch("board.lead.pet.name", board)
    #expect(watch.answer == "null")
    let ada = Person("Ada", "L")
    #expect(await watch.causes { board.lead = ada } == 1)
    #expect(watch.answer == "null")
    #expect(await watch.causes { ada.firstName = "A" } == 0)
    #expect(await watch.causes { ada.pet = Pet("Rex") } == 1)
    #expect(watch.answer == #""Rex""#)
    #expect(await watch.causes { ada.pet?.name = "Tom" } == 1)
    #expect(watch.answer == #""Tom""#)
    #expect(await watch.causes { ada.pet = nil } == 1)
    #expect(watch.answer == "null")
    #expect(await watch.causes { board.lead = nil } == 1)
    #expect(await watch.causes { ada.pet = Pet("Max") } == 0)
    await watch.end()
  }

  @Test("After a nested object was replaced, the old one is not followed and the new one is")
  func replaced() async throws {
    let (ada, eve) = (Person("Ada", "L"), Person("Eve", "M"))
    board.lead = ada
    let watch = try await Watch("board.lead.name", board)
    #expect(watch.answer == #""Ada L""#)
    #expect(await watch.causes { board.lead = eve } == 1)
    #expect(watch.answer == #""Eve M""#)
    #expect(await watch.causes { ada.firstName = "A" } == 0)
    #expect(await watch.causes { eve.lastName = "N" } == 1)
    #expect(watch.answer == #""Eve N""#)
    await watch.end()
  }

  @Test("A computed property depends on what it reads")
  func computed() async throws {
    let watch = try await Watch("board.items[?urgent].title", board)
    #expect(watch.answer == #"["b!"]"#)
    #expect(await watch.causes { board.items[0].state = .closed } == 0)
    #expect(await watch.causes { board.items[0].title = "a!" } == 1)
    #expect(watch.answer == #"["a!","b!"]"#)
    await watch.end()
  }

  @Test("A closure depends on what it reads")
  func closure() async throws {
    let watch = try await Watch("board.open", board)
    #expect(watch.answer == "3")
    #expect(await watch.causes { board.items[0].title = "z" } == 0)
    #expect(await watch.causes { board.items[0].state = .closed } == 1)
    #expect(watch.answer == "2")
    await watch.end()
  }

  @Test("A struct is followed as a whole, by the property that holds it")
  func structure() async throws {
    let watch = try await Watch("board.items[0].effort.hours", board)
    #expect(watch.answer == "0.0")
    #expect(await watch.causes { board.items[0].title = "z" } == 0)
    #expect(await watch.causes { board.items[0].effort.hours = 1.5 } == 1)
    #expect(watch.answer == "1.5")
    await watch.end()
  }

  @Test("One key of a dictionary depends on the dictionary and on what is read of that value")
  func dictionary() async throws {
    let watch = try await Watch("lookup(board.byID, 'a').state", board)
    #expect(watch.answer == #""open""#)
    #expect(await watch.causes { board.items[1].state = .closed } == 0)
    #expect(await watch.causes { board.items[0].state = .closed } == 1)
    #expect(watch.answer == #""closed""#)
    #expect(await watch.causes { board.byID["a"] = nil } == 1)
    #expect(watch.answer == "null")
    #expect(await watch.causes { board.byID["a"] = Item("new") } == 1)
    #expect(watch.answer == #""open""#)
    await watch.end()
  }

  @Test("A filter over a dictionary's values depends on it and on the field of each")
  func dictionaryFilter() async throws {
    let watch = try await Watch("values(board.byID)[?state == 'open'].title", board)
    #expect(watch.answer == #"["a","b!","c"]"#)
    #expect(await watch.causes { board.items[2].labels = ["x"] } == 0)
    #expect(await watch.causes { board.items[0].state = .closed } == 1)
    #expect(watch.answer == #"["b!","c"]"#)
    await watch.end()
  }

  @Test("What `&&` and the ternary do not reach is not depended on")
  func decisions() async throws {
    let watch = try await Watch("board.lead && board.title", board)
    #expect(await watch.causes { board.title = "Tuesday" } == 0)
    #expect(await watch.causes { board.lead = Person("Ada", "L") } == 1)
    #expect(watch.answer == #""Tuesday""#)
    #expect(await watch.causes { board.title = "Friday" } == 1)
    await watch.end()
  }

  @Test("Writing out a whole object depends on all its fields, and on no other property")
  func whole() async throws {
    let watch = try await Watch("board.items[0]", board)
    #expect(
      watch.answer
        == #"{"assignee":null,"effort":{"hours":0.0,"notes":[]},"labels":[],"state":"open","#
        + #""title":"a","urgent":false}"#
    )
    let item = board.items[0]
    #expect(await watch.causes { item.labels = ["x"] } == 1)
    #expect(await watch.causes { item.effort.notes = ["y"] } == 1)
    #expect(await watch.causes { item.assignee = Person("Ada", "L") } == 1)
    #expect(await watch.causes { item.assignee?.lastName = "M" } == 1)
    #expect(await watch.causes { item.title = "a!" } == 1)
    // Not in the schema, and another item.
    #expect(await watch.causes { item.board = board } == 0)
    #expect(await watch.causes { board.items[1].title = "z" } == 0)
    await watch.end()
  }

  @Test("An expression that read nothing new is not evaluated for what it read before")
  func afterwards() async throws {
    let watch = try await Watch("board.lead ? board.title : board.items[0].title", board)
    #expect(watch.answer == #""a""#)
    #expect(await watch.causes { board.lead = Person("Ada", "L") } == 1)
    #expect(await watch.causes { board.items[0].title = "z" } == 0)
    #expect(await watch.causes { board.items = [] } == 0)
    #expect(await watch.causes { board.title = "Tuesday" } == 1)
    await watch.end()
  }
}
