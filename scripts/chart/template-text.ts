import { stringify } from 'yaml'

/** Characters that no manifest contains. */
const marks = { value: (index: number) => `⟦${index}⟧`, lines: (index: number) => `⟪${index}⟫` }

/**
 * Writes objects as templates of Helm: an expression stands in an object as a mark, which the text replaces.
 *
 * @example new TemplateText().write({ replicas: text.value('.Values.replicas') })
 */
export class TemplateText {
  private readonly expressions: string[] = []

  /** A scalar, or a part of one. */
  value(expression: string): string {
    return this.add('value', `{{ ${expression} }}`)
  }

  /**
   * Whole lines, as a key of a mapping (whose value is null) or an element of a list. `$indent` in them is the number of spaces
   * before the line.
   */
  lines(...lines: string[]): string {
    return this.add('lines', lines.join('\n'))
  }

  /** The YAML of an object with its expressions. */
  write(object: unknown): string {
    return this.fill(stringify(object, { lineWidth: 0, nullStr: '' }))
  }

  private fill(text: string): string {
    const whole = text.replace(/^( *)(?:- )?⟪(\d+)⟫:? *$/gm, (_line, spaces: string, index: string) =>
      this.expressions[Number(index)]!.split('\n')
        .map((line) => (line.startsWith('{{-') ? line : `${spaces}${line}`))
        .join('\n')
        .replaceAll('$indent', String(spaces.length)),
    )
    const filled = whole.replace(/⟦(\d+)⟧/g, (_mark, index: string) => this.expressions[Number(index)]!)
    return filled === text ? filled : this.fill(filled)
  }

  private add(kind: keyof typeof marks, expression: string): string {
    this.expressions.push(expression)
    return marks[kind](this.expressions.length - 1)
  }
}
