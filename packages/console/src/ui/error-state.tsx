import { Problem } from '@notify/sdk'
import { Button } from './button.tsx'

/** The missing permission, when the problem is one. */
function missingPermission(error: unknown): string | undefined {
  if (!(error instanceof Problem) || error.code !== 'permission_denied') return undefined
  return /permission ([a-z_]+:[a-z_]+)/.exec(error.detail)?.[1]
}

const detailOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The error, with the request id for the support. */
export function Problems({ error }: { error: unknown }) {
  const requestId = error instanceof Problem ? error.request_id : undefined
  return (
    <div role="alert" className="mt-3 rounded-md bg-bad-fill px-3 py-2 text-bad [overflow-wrap:anywhere]">
      <p>{detailOf(error)}</p>
      {requestId ? <p className="mt-0.5 font-mono text-xs">Request {requestId}</p> : null}
    </div>
  )
}

/** Shown instead of content that could not be loaded. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const permission = missingPermission(error)
  if (permission) return <Forbidden permission={permission} />
  const requestId = error instanceof Problem ? error.request_id : undefined
  return (
    <div role="alert" className="flex flex-col items-center gap-2 px-4 py-16 text-center">
      <p className="font-medium">{error instanceof Problem ? error.title : 'This could not be loaded'}</p>
      <p className="max-w-md text-soft [overflow-wrap:anywhere]">{detailOf(error)}</p>
      {requestId ? <p className="font-mono text-xs text-faint">Request {requestId}</p> : null}
      <Button onClick={onRetry} className="mt-2">
        Try again
      </Button>
    </div>
  )
}

/** Shown instead of content that the operator may not see. */
export function Forbidden({ permission }: { permission: string }) {
  return (
    <div role="alert" className="flex flex-col items-center gap-2 px-4 py-16 text-center">
      <p className="font-medium">You lack a permission</p>
      <p className="max-w-md text-soft">
        This needs the permission <code className="font-mono text-xs text-text">{permission}</code>. Ask the
        administrator of your identity provider for it, then sign in again.
      </p>
    </div>
  )
}
