import { type NavigateOptions, useSearchParams } from 'react-router'

/** The query of the address, and a function that changes some of its values; empty values are omitted. */
export function useAddress() {
  const [search, setSearch] = useSearchParams()
  const change = (values: Readonly<Record<string, string | null | undefined>>, options?: NavigateOptions) => {
    // The router has the address of the last rendering: on a busy page the first of two changes would be lost.
    const params = new URLSearchParams(location.search)
    for (const [name, value] of Object.entries(values)) {
      if (value) params.set(name, value)
      else params.delete(name)
    }
    setSearch(params, options)
  }
  return { search, change, clear: () => setSearch({}) }
}
