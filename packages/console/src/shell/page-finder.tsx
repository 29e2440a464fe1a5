import { useState } from 'react'
import { Autocomplete, Input, ListBox, ListBoxItem, SearchField, useFilter } from 'react-aria-components'
import { useNavigate } from 'react-router'
import { useHasPermission } from '../api/me.ts'
import { pages } from '../pages.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { type Found, useFound } from './find.ts'

/** Opened with Ctrl-K: finds a page by a part of its title, and what has an id, an event key or a recipient by the whole of it. */
export function PageFinder({ onClose }: { onClose: () => void }) {
  const may = useHasPermission()
  const navigate = useNavigate()
  const { contains } = useFilter({ sensitivity: 'base' })
  const [text, setText] = useState('')
  const { found, isLoading, error } = useFound(text)
  const seen = pages
    .filter(({ permission }) => may(permission))
    .map(({ path, title, group }): Found => ({ path, title, hint: group }))
  const titled = seen.filter(({ title }) => contains(title, text.trim()))
  const shown = [...found.filter(({ isGuess }) => !isGuess), ...titled, ...found.filter(({ isGuess }) => isGuess)]
  const visit = (path: string) => {
    onClose()
    void navigate(`/${path}`)
  }
  return (
    <Dialog title="Find" onClose={onClose}>
      <Autocomplete inputValue={text} onInputChange={setText}>
        <SearchField
          aria-label="Page, id, event or recipient"
          autoFocus
          onSubmit={() => shown[0] && visit(shown[0].path)}
        >
          <Input placeholder="Title of a page, whole id, event key or recipient" className="control" />
        </SearchField>
        <ListBox
          aria-label="Found"
          onAction={(key) => visit(String(key))}
          renderEmptyState={() => (
            <p role="status" className="px-2 py-3 text-faint">
              {isLoading
                ? 'It is being looked up.'
                : error
                  ? `It could not be looked up: ${error.message}`
                  : 'Nothing has this title, id, key or recipient.'}
            </p>
          )}
          className="mt-2 max-h-72 overflow-y-auto outline-none"
        >
          {shown.map(({ path, title, hint }) => (
            <ListBoxItem
              key={path}
              id={path}
              textValue={title}
              className="flex h-[34px] cursor-pointer items-center gap-2 rounded-md px-2 outline-none data-[focused]:bg-selected data-[hovered]:bg-hover"
            >
              <span className="min-w-0 flex-1 truncate">{title}</span>
              <span className="text-xs text-faint">{hint}</span>
            </ListBoxItem>
          ))}
        </ListBox>
      </Autocomplete>
    </Dialog>
  )
}
