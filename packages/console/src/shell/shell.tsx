import { Menu as MenuIcon, Search } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Outlet } from 'react-router'
import { IconButton } from '../ui/button.tsx'
import { DrawerFrame } from '../ui/dialog.tsx'
import { useHotkeys } from '../ui/hotkeys.ts'
import { Skeleton } from '../ui/states.tsx'
import { Toasts } from '../ui/toasts.tsx'
import { AwayBanner } from './away-banner.tsx'
import { KeyList } from './key-list.tsx'
import { ModeBanner, ModeSwitch } from './mode-switch.tsx'
import { Navigation } from './navigation.tsx'
import { OperatorMenu } from './operator-menu.tsx'
import { loadPageFinder, usePreloadedPages } from './preload-pages.ts'
import { useChord } from './use-chord.ts'

const PageFinder = lazy(async () => ({ default: (await loadPageFinder()).PageFinder }))

/** The frame around every page. */
export function Shell() {
  return (
    <Suspense fallback={<ShellSkeleton />}>
      <Frame />
      <Toasts />
    </Suspense>
  )
}

export function ShellSkeleton() {
  return (
    <div className="mx-auto max-w-5xl p-10">
      <Skeleton lines={6} />
    </div>
  )
}

function Frame() {
  const [open, setOpen] = useState<'pages' | 'keys' | 'navigation'>()
  const close = () => setOpen(undefined)
  // The router shows this frame after it has loaded the first page.
  usePreloadedPages()
  useChord('k', () => setOpen('pages'))
  useHotkeys({
    '?': () => setOpen('keys'),
    '/': focusSearch,
  })
  return (
    <div className="flex min-h-dvh max-md:flex-col">
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:p-2"
      >
        Skip to the page
      </a>
      <aside
        aria-label="Console"
        className="sticky top-0 flex h-dvh w-[216px] shrink-0 flex-col border-r border-line bg-sunken p-3 max-md:hidden"
      >
        <Side onFind={() => setOpen('pages')} onKeys={() => setOpen('keys')} />
      </aside>
      <header className="flex h-12 items-center gap-2 border-b border-line bg-sunken px-3 md:hidden">
        <IconButton label="Open the navigation" onClick={() => setOpen('navigation')}>
          <MenuIcon size={18} aria-hidden />
        </IconButton>
        <span className="flex-1 font-semibold">Console</span>
        <ModeSwitch />
        <IconButton label="Find" onClick={() => setOpen('pages')}>
          <Search size={16} aria-hidden />
        </IconButton>
      </header>
      <div className="flex min-w-0 flex-1 flex-col">
        <AwayBanner />
        <ModeBanner />
        <main id="page" tabIndex={-1} className="w-full min-w-0 flex-1 p-6 outline-none max-md:p-4">
          <Outlet />
        </main>
      </div>
      {open === 'navigation' ? <NavigationDrawer onClose={close} onKeys={() => setOpen('keys')} /> : null}
      <Suspense>{open === 'pages' ? <PageFinder onClose={close} /> : null}</Suspense>
      {open === 'keys' ? <KeyList onClose={close} /> : null}
    </div>
  )
}

/** The search field of the page, or else its first filter. */
function focusSearch() {
  const search = document.querySelector<HTMLElement>('input[type=search]')
  const filter = document.querySelector<HTMLElement>('search :is(input, select)')
  ;(search ?? filter)?.focus()
}

function Side({ onFind, onKeys }: { onFind: () => void; onKeys: () => void }) {
  return (
    <>
      <OperatorMenu onKeys={onKeys} />
      <button
        type="button"
        onClick={onFind}
        className="mt-2 mb-2 flex h-[30px] items-center gap-2 rounded-md border border-line bg-surface px-2 text-faint hover:text-text"
      >
        <Search size={14} aria-hidden />
        <span className="flex-1 text-left">Find</span>
        <kbd className="font-sans text-xs">Ctrl K</kbd>
      </button>
      <ModeSwitch className="mb-4" />
      <Navigation />
    </>
  )
}

/** The navigation on a telephone. It closes when a page is opened. */
function NavigationDrawer({ onClose, onKeys }: { onClose: () => void; onKeys: () => void }) {
  return (
    <DrawerFrame label="Navigation" onClose={onClose}>
      <div className="flex h-full flex-col bg-sunken p-3">
        <OperatorMenu onKeys={onKeys} />
        <div className="h-4" />
        <Navigation onVisit={onClose} />
      </div>
    </DrawerFrame>
  )
}
