// An unanchored pattern such as /%\{[^}]*\}$/ rescans from every match of its start, in quadratic time.
// eslint-plugin-regexp reports that only if the repetition comes first.
import { parseRegExpLiteral } from '@eslint-community/regexpp'

const message =
  'A search with this pattern may read the rest of the text from every place: anchor it, bound the repetition, or let it stop at the character that the pattern begins with.'

export const noRescan = {
  create: (context) => ({
    'Literal[regex]'(node) {
      if (rescans(node.regex)) context.report({ node, message })
    },
  }),
}

function rescans({ pattern, flags }) {
  if (flags.includes('y')) return false
  const { pattern: parsed } = parseRegExpLiteral(`/${pattern}/${flags}`)
  return parsed.alternatives.some((alternative) => {
    const elements = flatten(alternative)
    return elements.some((element, at) => {
      if (at === 0 || element.type !== 'Quantifier' || element.max !== Number.POSITIVE_INFINITY) return false
      const beginning = elements.slice(0, at)
      return elements.slice(at + 1).some(canFail) && beginning.every((part) => mayRead(element.element, part, flags))
    })
  })
}

/** The elements in order, with groups flattened. */
function flatten({ elements }) {
  return elements.flatMap((element) => {
    const isPlain = element.type === 'CapturingGroup' || element.type === 'Group'
    return isPlain && element.alternatives.length === 1 ? flatten(element.alternatives[0]) : [element]
  })
}

const canFail = (element) => element.type !== 'Quantifier' || element.min > 0

/** Whether the repetition may match text that `part` has matched; true if unsure. */
function mayRead(repeated, part, flags) {
  switch (part.type) {
    case 'Character':
      return !isOneCharacter(repeated) || new RegExp(`^${repeated.raw}$`, flags).test(String.fromCodePoint(part.value))
    case 'Assertion':
      return !(part.kind === 'start' && !flags.includes('m')) && !beginsRun(part, repeated)
    case 'Quantifier':
      return part.min === 0 || mayRead(repeated, part.element, flags)
    case 'Group':
    case 'CapturingGroup':
      return part.alternatives.some(({ elements }) => elements.every((element) => mayRead(repeated, element, flags)))
    default:
      return true
  }
}

const isOneCharacter = ({ type }) =>
  ['Character', 'CharacterClass', 'CharacterSet', 'ExpressionCharacterClass'].includes(type)

/** `(?<!x)x+` starts only at the first of several. */
const beginsRun = ({ kind, negate, alternatives }, repeated) =>
  kind === 'lookbehind' && negate && alternatives.some(({ raw }) => raw === repeated.raw)
