import { QueryClientProvider } from '@tanstack/react-query'
import type { Root } from 'react-dom/client'
import { RouterProvider } from 'react-router/dom'
import { callWithSession } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { openSession, wasSignedOut } from '../session/session.ts'
import { SessionContext } from '../session/session-context.ts'
import { loadSettings, type Settings } from '../session/settings.ts'
import { ErrorState } from '../ui/error-state.tsx'
import { createRouter } from './router.tsx'
import { SignedOut } from './signed-out.tsx'
import { applyTheme, storedTheme } from './theme.ts'

/** Signs in, then shows the console. */
export async function start(root: Root): Promise<void> {
  applyTheme(storedTheme())
  await showFailure(root, async () => {
    const settings = await loadSettings()
    if (wasSignedOut() && !location.pathname.endsWith('/callback')) {
      root.render(<SignedOut onSignIn={() => void showFailure(root, () => signIn(root, settings))} />)
    } else await signIn(root, settings)
  })
}

async function showFailure(root: Root, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    root.render(<ErrorState error={error} onRetry={() => location.reload()} />)
  }
}

async function signIn(root: Root, settings: Settings): Promise<void> {
  const session = await openSession(settings)
  if (!session) return
  callWithSession(session)
  root.render(
    <QueryClientProvider client={queryClient}>
      <SessionContext value={session}>
        <RouterProvider router={createRouter()} />
      </SessionContext>
    </QueryClientProvider>,
  )
}
