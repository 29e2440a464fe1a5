import { linkNames } from '@notify/contracts'

/** The links that texts use. */
export const linkNamesIn = (texts: readonly { template: string }[]) =>
  linkNames.filter((name) => texts.some(({ template }) => template.includes(name)))

/** The variables for a text of no message, such as a preview. Its links lead nowhere, unless they are given. */
export const withSampleLinks = (
  texts: readonly { template: string }[],
  variables: Record<string, unknown>,
): Record<string, unknown> => ({
  ...Object.fromEntries(linkNamesIn(texts).map((name) => [name, 'https://example.com/u/preview'])),
  ...variables,
})
