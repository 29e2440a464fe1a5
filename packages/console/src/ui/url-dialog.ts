import { useAddress } from './address.ts'

/** The open dialog, in the address, so that it is open again, with its draft, after a reload or a new login. */
export function useUrlDialog<Name extends string>() {
  const { search, change } = useAddress()
  const set = (name: Name | null) => change({ dialog: name }, { replace: true })
  return {
    dialog: search.get('dialog') as Name | null,
    show: (name: Name) => set(name),
    close: () => set(null),
  }
}
