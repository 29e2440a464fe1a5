import { Autocomplete, Input, ListBox, ListBoxItem, SearchField, useFilter } from 'react-aria-components'
import { useNavigate } from 'react-router'
import { useHasPermission } from '../api/me.ts'
import { pages } from '../pages.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** Opened with Ctrl-K: finds a page by a part of its title, and Enter opens it. */
export function PageFinder({ onClose }: { onClose: () => void }) {
  const may = useHasPermission()
  const navigate = useNavigate()
  const { contains } = useFilter({ sensitivity: 'base' })
  const seen = pages.filter(({ permission }) => may(permission))
  const visit = (path: string) => {
    onClose()
    void navigate(`/${path}`)
  }
  // Enter without a choice from the list.
  const visitFirst = (text: string) => {
    const found = seen.find(({ title }) => contains(title, text))
    if (found) visit(found.path)
  }
  return (
    <Dialog title="Find a page" onClose={onClose}>
      <Autocomplete filter={contains}>
        <SearchField aria-label="Page" autoFocus onSubmit={visitFirst}>
          <Input placeholder="Title of a page" className="control" />
        </SearchField>
        <ListBox
          aria-label="Pages"
          onAction={(key) => visit(String(key))}
          renderEmptyState={() => <p className="px-2 py-3 text-faint">No page has such a title.</p>}
          className="mt-2 max-h-72 overflow-y-auto outline-none"
        >
          {seen.map(({ path, title, group }) => (
            <ListBoxItem
              key={path}
              id={path}
              textValue={title}
              className="flex h-[34px] cursor-pointer items-center rounded-md px-2 outline-none data-[focused]:bg-selected data-[hovered]:bg-hover"
            >
              <span className="flex-1">{title}</span>
              <span className="text-xs text-faint">{group}</span>
            </ListBoxItem>
          ))}
        </ListBox>
      </Autocomplete>
    </Dialog>
  )
}
