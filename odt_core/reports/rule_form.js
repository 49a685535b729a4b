"use strict"
// The form of the rule card. It reads the tree from the block "rule" and writes text only, so
// nothing in a name can become markup.
const rule = JSON.parse(document.getElementById("rule").textContent)
const fields = [...document.querySelectorAll("[data-input]")]
const answer = document.getElementById("answer")
const NUMBER = /^[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)([eE][+-]?[0-9]+)?$/
const NEW = -1

// What a field holds: open, wrong with a reason, or a value.
function valueOf(place) {
  const input = rule.inputs[place]
  const field = fields[place]
  const chosen = field.querySelector("select")
  if (chosen !== null) {
    return chosen.value === "" ? { open: true } : { code: Number(chosen.value) }
  }
  if (field.querySelector("[type=checkbox]").checked) return { code: input.missing, missing: true }
  const text = field.querySelector("[type=text]").value.trim().replace("\u2212", "-")
  if (text === "") return { open: true }
  return numberOf(text, input)
}

function numberOf(text, input) {
  const other = input.decimal === "," ? "\\." : ","
  if (new RegExp(`^[+-]?[1-9][0-9]{0,2}${other}[0-9]{3}$`).test(text)) {
    const whole = text.replace(/[.,]/, "")
    const point = text.replace(",", ".")
    return { wrong: `write ${whole}, or ${point}0 if the mark is a decimal mark` }
  }
  const number = NUMBER.test(text) ? Number(text.replace(",", ".")) : NaN
  if (!Number.isFinite(number)) return { wrong: "write a number, without signs between thousands" }
  if (input.missingNumbers.includes(number)) return { code: input.missing, missing: true }
  return { number }
}

function isYes(node, value) {
  if (node.codes !== undefined) return value.code === NEW ? node.newYes : node.codes.includes(value.code)
  if (value.missing) return node.missingYes
  if (node.none) return false
  return (node.low === null || value.number > node.low) && (node.high === null || value.number <= node.high)
}

function doubtOf(node, value) {
  const input = rule.inputs[node.input]
  if (value.code === NEW) return input.newWords
  if (value.number !== undefined && input.ends !== null) {
    const [low, high] = input.ends
    return value.number < low || value.number > high ? input.beyondWords : ""
  }
  return node.absent.includes(value.code) ? input.absentWords : ""
}

// The way from the root as far as the fields are filled in.
function follow() {
  const asked = new Set()
  const steps = []
  const doubts = new Set()
  let node = rule.root
  while (node.leaf === undefined) {
    asked.add(node.input)
    const value = valueOf(node.input)
    if (value.open || value.wrong) return { asked, steps, doubts, stops: node.input, wrong: value.wrong }
    const yes = isYes(node, value)
    steps.push(`${node.question} ${yes ? "yes" : "no"}`)
    const doubt = doubtOf(node, value)
    if (doubt) doubts.add(doubt)
    node = yes ? node.yes : node.no
  }
  return { asked, steps, doubts, leaf: node }
}

function add(tag, text, name) {
  const element = document.createElement(tag)
  element.textContent = text
  if (name) element.className = name
  answer.append(element)
}

function addList(texts, name) {
  const list = document.createElement("ul")
  list.className = name
  for (const text of texts) {
    const item = document.createElement("li")
    item.textContent = text
    list.append(item)
  }
  answer.append(list)
}

function show() {
  const found = follow()
  answer.replaceChildren()
  answer.dataset.leaf = found.leaf ? String(found.leaf.leaf) : ""
  fields.forEach((field, place) => {
    field.classList.toggle("idle", found.leaf !== undefined && !found.asked.has(place))
    const value = valueOf(place)
    field.querySelector(".hint").textContent = value.wrong ? `Not a usable number: ${value.wrong}.` : ""
  })
  if (found.leaf === undefined) {
    const name = rule.inputs[found.stops].name
    add("p", found.wrong ? `Correct ${name}.` : `Next: ${name}.`, "next")
  } else {
    add("p", found.leaf.label, "label")
    addList([...found.leaf.counts, ...found.leaf.marks.map((mark) => `Take care: ${mark}.`)], "counts")
  }
  if (found.doubts.size) addList([...found.doubts].map((doubt) => `Take care: ${doubt}.`), "doubts")
  if (found.steps.length) addList(found.steps, "steps")
}

const form = document.getElementById("case")
form.addEventListener("input", show)
form.addEventListener("reset", () => setTimeout(show))
form.addEventListener("submit", (event) => event.preventDefault())
show()
