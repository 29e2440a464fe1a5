import { Button } from '../ui/button.tsx'

/** Shown after signing out. Without it, the issuer would sign in the same person again without asking. */
export function SignedOut({ onSignIn }: { onSignIn: () => void }) {
  return (
    <main className="flex flex-col items-center gap-2 px-4 pt-[22vh] text-center">
      <h1 className="text-lg font-semibold">You are signed out</h1>
      <p className="text-soft">Nothing of your session is left in this browser tab.</p>
      <Button kind="primary" className="mt-3" onClick={onSignIn}>
        Sign in
      </Button>
    </main>
  )
}
