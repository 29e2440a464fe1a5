import { type NavigateOptions, useSearchParams } from 'react-router'

/** What follows the `?` of the address, and a function that changes some of its values; an empty one is left out. */
export function useAddress() {
  const [search, setSearch] = useSearchParams()
  const change = (values: Readonly<Record<string, string | null | undefined>>, options?: NavigateOptions) => {
    // The router knows the address as it was rendered last: of two changes on a busy page, the first would be lost.
    const params = new URLSearchParams(location.search)
    for (const [name, value] of Object.entries(values)) {
      if (value) params.set(name, value)
      else params.delete(name)
    }
    setSearch(params, options)
  }
  return { search, change, clear: () => setSearch({}) }
}
