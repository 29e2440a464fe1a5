import { useAddress } from './address.ts'

export interface AddressFilters<Filters> {
  filters: Filters
  set: (name: keyof Filters & string, value: string) => void
  clear: () => void
  /** The value and the setter of one filter, for its control. */
  field: (name: keyof Filters & string) => { value: string; onChange: (value: string) => void }
}

/** Filters in the address, so that a view can be linked to. The service reports invalid values. */
export function useAddressFilters<Filters extends object>(
  names: readonly (keyof Filters & string)[],
): AddressFilters<Filters> {
  const { search, change, clear } = useAddress()
  const filters = Object.fromEntries(
    names.flatMap((name) => (search.get(name) ? [[name, search.get(name)]] : [])),
  ) as Filters
  // The cursor belongs to the list with the previous filters.
  const set = (name: keyof Filters & string, value: string) => change({ cursor: null, [name]: value })
  return {
    filters,
    set,
    clear,
    field: (name) => ({ value: search.get(name) ?? '', onChange: (value) => set(name, value) }),
  }
}
