import { useSearchParams } from 'react-router'

/** The dialog that is open, kept in the address: after a reload or a new login it is open again, with its draft. */
export function useUrlDialog<Name extends string>() {
  const [search, setSearch] = useSearchParams()
  const set = (name: Name | null) =>
    setSearch(
      (present) => {
        const params = new URLSearchParams(present)
        if (name) params.set('dialog', name)
        else params.delete('dialog')
        return params
      },
      { replace: true },
    )
  return {
    dialog: search.get('dialog') as Name | null,
    show: (name: Name) => set(name),
    close: () => set(null),
  }
}
