import type { Mode } from './mode.ts'

/** Names what is listed: `live requests`. */
export const ofMode = (mode: Mode | undefined, things: string): string => (mode ? `${mode} ${things}` : things)
