/** Server-side statement timeout. */
const statementTimeoutMs = 3000

/**
 * Settings of every session of a service's role. Provisioning stores them with the role, because a pooler refuses
 * settings of a connection and shares sessions.
 * A prepared plan made while tables were small would later scan them: services/dispatch/tests/plans.test.ts.
 */
export function sessionSettings(schema: string): Readonly<Record<string, string>> {
  return {
    search_path: schema,
    statement_timeout: inSeconds(statementTimeoutMs),
    // Shorter than the statement timeout, so that a lock wait gets its own error.
    lock_timeout: '2s',
    // Releases the locks of a process that vanished.
    idle_in_transaction_session_timeout: '10s',
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    jit: 'off',
  }
}

/**
 * Client-side timeouts for a connection and a response, in milliseconds. The latter exceeds the statement timeout, so
 * that
 * the server's error arrives and the connection survives.
 */
export const waits = { connectMs: 5000, answerMs: statementTimeoutMs + 1000 }

/** The same for background statements. */
export const longWaits = { statementTimeout: inSeconds(20_000), answerMs: 21_000 }

function inSeconds(ms: number): string {
  return `${ms / 1000}s`
}
