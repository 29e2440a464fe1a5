import { Check, ChevronsUpDown } from 'lucide-react'
import { use, useState } from 'react'
import { Button, Menu, MenuItem, MenuTrigger, Popover, Separator } from 'react-aria-components'
import { useOperator } from '../api/me.ts'
import { SessionContext } from '../session/session-context.ts'
import { PlainText } from '../ui/plain-text.tsx'
import { applyTheme, storedTheme, type Theme, themes } from './theme.ts'

const themeTitles: Record<Theme, string> = { system: 'System theme', light: 'Light theme', dark: 'Dark theme' }
const itemClass =
  'flex h-[30px] items-center gap-2 rounded px-2 outline-none cursor-pointer data-[focused]:bg-hover text-text'

/** A button with the tenant's name, which opens the theme, the keys and the sign-out. */
export function OperatorMenu({ onKeys }: { onKeys: () => void }) {
  const { tenant_name, tenant_id, operator_id, name, email } = useOperator()
  const session = use(SessionContext)
  const [theme, setTheme] = useState(storedTheme)
  const choose = (next: Theme) => {
    applyTheme(next)
    setTheme(next)
  }
  return (
    <MenuTrigger>
      <Button className="flex w-full items-center gap-2 rounded-md px-2 py-1 text-left hover:bg-hover">
        <span className="min-w-0 flex-1">
          <span className="block truncate font-semibold">
            <PlainText>{tenant_name ?? tenant_id}</PlainText>
          </span>
          <span className="block truncate text-xs text-faint">
            <PlainText>{name ?? email ?? operator_id}</PlainText>
          </span>
        </span>
        <ChevronsUpDown size={14} aria-hidden className="text-faint" />
      </Button>
      <Popover
        placement="bottom start"
        className="appear w-52 rounded-md border border-line bg-raised p-1 shadow-raised outline-none"
      >
        <Menu aria-label="Account" className="outline-none">
          {themes.map((name) => (
            <MenuItem key={name} onAction={() => choose(name)} className={itemClass}>
              <span className="flex-1">{themeTitles[name]}</span>
              {theme === name ? <Check size={14} aria-label="chosen" /> : null}
            </MenuItem>
          ))}
          <Separator className="my-1 border-t border-line" />
          <MenuItem onAction={onKeys} className={itemClass}>
            <span className="flex-1">Keyboard shortcuts</span>
            <kbd className="font-sans text-xs text-faint">?</kbd>
          </MenuItem>
          <MenuItem onAction={() => void session?.signOut()} className={itemClass}>
            Sign out
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
