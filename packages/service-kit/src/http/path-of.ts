import type { Route } from '@notify/contracts'

/** A route's path with its parameters filled in, each as one segment. */
export function pathOf({ path }: Pick<Route, 'path'>, params: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}
