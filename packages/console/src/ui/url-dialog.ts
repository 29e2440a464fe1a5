import { useAddress } from './address.ts'

/** The dialog that is open, kept in the address: after a reload or a new login it is open again, with its draft. */
export function useUrlDialog<Name extends string>() {
  const { search, change } = useAddress()
  const set = (name: Name | null) => change({ dialog: name }, { replace: true })
  return {
    dialog: search.get('dialog') as Name | null,
    show: (name: Name) => set(name),
    close: () => set(null),
  }
}
