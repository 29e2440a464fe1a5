const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A text as HTML, in elements and in quoted attributes. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => entities[one]!)

/** A text whose `{name}` are replaced by values, as HTML. Values stand in a direction of their own. */
export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  escaped(text).replace(/\{(\w+)\}/g, (whole, name: string) =>
    values[name] === undefined ? whole : `<bdi>${escaped(values[name])}</bdi>`,
  )
