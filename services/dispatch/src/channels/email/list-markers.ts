/** The most that Roman numerals are written for. Other numbers are decimal, as in browsers. */
const mostRoman = 3999

const romans: readonly [number, string][] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
]

function roman(number: number): string {
  let [left, text] = [number, '']
  for (const [value, numeral] of romans) {
    text += numeral.repeat(left / value)
    left %= value
  }
  return text
}

/** a … z, aa, ab … */
function letters(number: number): string {
  let text = ''
  for (let left = number; left > 0; left = Math.floor((left - 1) / 26))
    text = String.fromCharCode(97 + ((left - 1) % 26)) + text
  return text
}

/** The number of an item, as the `type` of its list says. */
export function numeralOf(type: string | undefined, number: number): string {
  const isRoman = (type === 'i' || type === 'I') && number <= mostRoman
  const isLetter = type === 'a' || type === 'A'
  if (number < 1 || !(isRoman || isLetter)) return String(number)
  const numeral = isRoman ? roman(number) : letters(number)
  return type === 'I' || type === 'A' ? numeral.toUpperCase() : numeral
}

/** The number that a list begins with: 1, unless `start` is an integer of at most nine digits. */
export const startOf = (start: string | undefined): number =>
  start !== undefined && /^-?\d{1,9}$/.test(start) ? Number(start) : 1
