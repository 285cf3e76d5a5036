import ObsQuery

/// The expressions of `budget`: what may cost more than its steps pay for.
enum BudgetQueries {
  private static func bomb(_ rounds: Int, _ end: String) -> String {
    var text = "let $b = [@, @]"
    for _ in 0..<rounds { text += " in let $b = [$b, $b]" }
    return text + " in " + end
  }

  /// A list of the same expression, as often as a query may say it.
  private static func repeated(_ part: String) -> String {
    var count = 512
    while true {
      let text = "[" + Array(repeating: part, count: count).joined(separator: ", ") + "]"
      if count == 1 || (try? Expression(parsing: text, limits: .default)) != nil { return text }
      count -= max(1, count / 16)
    }
  }

  /// Over the document.
  static let texts: [String] = [
    // Walks, plain and nested.
    "length(values(rows)[?n < `0`])", "length(values(rows)[?part.x < `0`])",
    "length(rows.*.part.x)", "length(list[?n < `0`])", "length(list[*].tags[])",
    "length(list[*].part.y)",
    "length($plain[*].[let $n = n in length($plain[?n == $n])])",
    "length(list[*].[let $n = n in length($.list[?n < $n])])",
    "length(numbers[*].[let $n = @ in length($.numbers[?@ == $n])])",
    "length(numbers[*].[let $a = @ in length($.numbers[*].[let $b = @ in length($.numbers[?@ == $a && @ == $b])])])",
    "length(list[*].[let $n = n in length(values($.rows)[?n == $n])])",
    "length(list[*].[let $g = group in length(values($.rows)[?group == $g])])",
    "length(list[*].[let $n = name in length(values($.rows)[?name == $n])])",
    "[" + (0..<80).map { "values(rows)[?f\($0) == 'x']" }.joined(separator: ", ") + "]",
    "["
      + ["id", "n", "m", "name", "ref", "group"].map { "values(rows)[?\($0) == 'x']" }.joined(
        separator: ", "
      ) + "]",
    // Points of live data, each with a cell of its own.
    "let $r = rows in length(list[*].lookup($r, ref).name)",
    "let $m = map in length(keys($m)[?lookup($m, @) == 'x'])",
    "let $r = rows in length(keys($r)[?lookup($r, @).part.x == `77`])",
    "let $r = rows in length(keys($r)[?lookup($r, @).tags[0] == 'x'])",
    "let $r = rows in length(keys($r)[?length(lookup($r, @)) == `77`])",
    "let $r = rows in length(keys($r)[?length(lookup($r, @).tags) == `77`])",
    "let $r = rows in length(keys($r)[?lookup($r, @).part == lookup($r, 'key000001').part])",
    "let $r = rows in map(&lookup($r, @), keys($r))",
    "let $r = rows in length(keys($r)[?length(to_string(lookup($r, @).part)) == `0`])",
    "let $r = rows in keys($r)[?length(values(lookup($r, @))) == `0`]",
    "let $m = map in length(values($m)[?lookup($m, join('', [@, 'y'])) == 'x'])",
    "let $t = numbers in length(list[?$t[0] == $t[1]])", "list[::2].name", "list[::-1].id",
    "length(zip(list, numbers))",
    "zip(list, list, list, list)", "list[*].tags[0]", "length(list[*].keys(@)[])",
    "length(list[*].items(@)[])",
    "length(map)", "keys(map)", "length(items(map))", "length(values(rows)[*].*[])",
    "length(values(longKeys))", "length(keys(longKeys)[?lookup($.longKeys, @) == `0`])",
    // Lists that are made.
    repeated("@"), repeated("@.list[*]"), repeated("length(to_string(list[:100]))"),
    bomb(25, "$b"), bomb(25, "length(to_string($b))"), bomb(12, "$b == $b"),
    bomb(20, "[$b, @] == [$b, @]"),
    bomb(15, "length($b[][][][][][][][])"),
    "list[*].{a: id, b: n, c: m, d: name, e: ref, f: group}",
    "length(list[*].{a: id, b: n, c: m, d: name, e: ref, f: group})",
    "length(list[*].[n, m, n, m, n, m])",
    // Sorting.
    "length(sort_by(values(rows), &n))", "length(sort_by(list, &name))", "length(sort(texts))",
    "length(sort(numbers))",
    "length(sort(doubles))", "length(sort(keys(longKeys)))", "length(sort_by($plain, &name))",
    "max_by(list, &name).n",
    "min_by(list, &m).n", "max(texts)", repeated("sort(texts)[0]"), repeated("sort(numbers)[0]"),
    "sort_by(list, &m)[*].id", "length(sort_by(list, &to_string(part)))",
    // Numbers.
    "sum(doubles)", "avg(doubles)", repeated("sum(doubles)"), repeated("sum(alternating)"),
    "sum(list[*].m)", "length(list[?sum([m, n, m]) == `0`])", "length(list[?avg([m, n]) == `0`])",
    "sum(map(&(n // `7` % `3` * `2.5` - `1`), list))",
    "length(doubles[?(@ % `3.7`) // `0.1` == `0`])",
    "length(numerals[?to_number(@) == `0`])", "length(doubles[?to_string(@) == ''])",
    "length(numbers[?to_string(@) == ''])",
    // Grouping and making objects.
    "length(group_by(list, &group))", "length(group_by(list, &name))",
    "length(group_by(values(rows), &id))",
    "group_by(list, &group)", "length(from_items(pairs))", "from_items(items(rows))",
    "length(merge(map, rows))",
    "length(merge(longKeys, longKeys, longKeys))", repeated("length(merge(longKeys, longKeys))"),
    "length(list[*].merge(@, part))", "length(list[?merge(@, {n: `1`}).n == `2`])",
    repeated("length(group_by(texts, &@))"),
    // Comparing.
    repeated("list == $.list[:]"), repeated("rows == merge(rows, `{}`)"),
    "length(list[?part == $plain[0].part])",
    "length(list[?@ == $.list[19999]])", "contains(list, $plain[4999])",
    "length(list[?contains($.list, @)])",
    "length(list[?tags == ['a', 'b', 'd']])", "deep == deep.a", "length(texts[?@ < 'key'])",
    repeated("deep == merge(deep, `{}`)"),
    "length($plain[?contains($plain, @)])", "length($plain[?@ != $plain])",
    // Texts.
    repeated("length(text)"), repeated("length(upper(text))"), repeated("length(lower(wide))"),
    repeated("length(upper(wide))"), repeated("length(upper(sharp))"),
    repeated("length(lower(sharp))"),
    repeated("length(reverse(text))"), repeated("length(reverse(marks))"),
    repeated("length(split(text, 'z'))"),
    "length(split(text, ''))", repeated("length(split(text, 'a'))"), "length(split(marks, ''))",
    "length(replace(text, 'a', 'bbbb'))",
    repeated("length(replace(same, 'a', ''))"), repeated("length(replace(text, 'z', ''))"),
    repeated("find_first(same, 'aaaaaaaaaaaaaaab')"),
    repeated("find_last(same, 'baaaaaaaaaaaaaaa')"),
    repeated("find_last(marks, 'b')"), repeated("find_first(text, 'h', `-5`)"),
    repeated("contains(same, 'aaaaaaaaaaaaaaaaaaaab')"), repeated("contains(text, 'z')"),
    repeated("trim(spaces)"), repeated("trim(same, 'a')"), repeated("trim_right(same, 'ab')"),
    repeated("pad_left('', `10000`)"), repeated("length(pad_left(text, `10000`))"),
    "list[*].pad_left(name, `60`)",
    "length(list[*].pad_left(name, `60`, 'é'))", "length(numbers[*].pad_left('', `0`))",
    repeated("join('', texts)"),
    repeated("join(',', texts) == 'a'"), repeated("starts_with(text, same)"),
    repeated("text == same"),
    repeated("text[::-1]"), repeated("length(text[::2])"), repeated("length(marks[1:])"),
    repeated("to_number(same)"),
    repeated("length(to_string(text))"), repeated("length(to_string([text]))"),
    repeated("length(to_string([controls]))"),
    "controls", repeated("controls"), repeated("length(to_string(list[:300]))"),
    "length(to_string(doubles[:20000]))",
    "length(list[?upper(name) == 'X'])", "length(list[?split(name, ' ') == ['x']])",
    "length(list[?join('', tags) == 'x'])",
    "length(list[?contains(name, 'many!')])", "length(list[?replace(name, 'o', 'u') == ''])",
    "length(list[?find_last(name, 'zz') == `1`])",
    "length(list[?trim(name) == ''])", "length(list[?reverse(name) == ''])",
    "length(list[?starts_with(name, 'r') && ends_with(name, 'z')])",
    "length(list[?to_string(@) == ''])", "length(list[?name[1:3] == 'xx'])",
    "length(numbers[?type(@) == 'x'])",
    "length(numbers[?abs(@) < `0`])", "length(numbers[?not_null(@, @) < `0`])",
    "length(numbers[?to_array(@) == [`-1`]])",
    "length(numbers[?any([@, @], &(@ < `0`))])", "length(numbers[?all([@, @], &(@ < `0`))])",
    "length(numbers[*].{a: @, b: @}.a)",
    "length(arrays[])", "length(arrays[?length(@) == `1`])",
    "length(numbers[?(let $a = @, $b = @ in $a + $b) < `0`])",
    "length(numbers[?(@ > `1` ? @ : -@) < `0`])",
    "length(numbers[?!(@ == `1` || @ == `2` && @ == `3`) == `1`])",
    "length(list[?reverse(tags) == ['x']])", "length(list[?sort(tags) == ['x']])",
    "length(list[?max(tags) == 'x'])",
    "length(list[?zip(tags, tags) == ['x']])", "length(list[?group_by(@.tags, &@) == 'x'])",
    "length(list[?from_items([[id, n]]) == 'x'])",
    "length(list[?to_string(part) == 'x'])", "length(list[?contains(tags, 'x')])",
    "length(list[?keys(part) == ['x']])",
    "length(list[?items(part) == ['x']])", "length(list[?values(part) == ['x']])",
    "length(list[?tags[::-1] == ['x']])",
  ]

  /// The same of Swift objects, `all` of which have a `number`.
  static let modelTexts: [String] = [
    "length(all[?number < `0`])", "length(all[*].number)", "sum(all[*].number)",
    "length(sort_by(all, &number))",
    "length(all[?length(keys(@)) == `7`])", "all[*]", "length(all[?@ == $.all[99999]])",
    "length(all[?values(@) == [`-1`]])",
    "length(all[*])", "length(all[?length(to_string(@)) == `0`])",
  ]
}
