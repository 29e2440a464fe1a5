import { NavLink } from 'react-router'
import { useHasPermission } from '../api/me.ts'
import { groups, pages } from '../pages.tsx'

/** The pages that the operator may see, by group. */
export function Navigation({ onVisit }: { onVisit?: () => void }) {
  const may = useHasPermission()
  const seen = pages.filter(({ permission }) => may(permission))
  return (
    <nav aria-label="Pages" className="flex flex-col gap-4 overflow-y-auto">
      {groups
        .map((group) => ({ group, members: seen.filter((page) => page.group === group) }))
        .filter(({ members }) => members.length > 0)
        .map(({ group, members }) => (
          <div key={group}>
            <h2 className="px-2 pb-1 text-xs font-medium text-faint">{group}</h2>
            <ul>
              {members.map(({ path, title, icon: Icon }) => (
                <li key={path}>
                  <NavLink
                    to={`/${path}`}
                    onClick={onVisit}
                    className="flex h-[30px] items-center gap-2 rounded-md px-2 text-soft hover:bg-hover hover:text-text aria-[current=page]:bg-selected aria-[current=page]:font-medium aria-[current=page]:text-text"
                  >
                    <Icon size={15} aria-hidden />
                    {title}
                  </NavLink>
                </li>
              ))}
            </ul>
          </div>
        ))}
    </nav>
  )
}
