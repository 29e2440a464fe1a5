import type { ComponentType } from 'react'
import type { ConsolePage } from '../pages.tsx'

const reloadedFor = 'reloaded-for'

/**
 * Loads the code of a page. The code of a replaced build no longer exists: then the console is reloaded, once, if
 * the gateway answers.
 */
export async function loadPage(page: ConsolePage): Promise<ComponentType> {
  try {
    const component = await page.load()
    sessionStorage.removeItem(reloadedFor)
    return component
  } catch (error) {
    if (sessionStorage.getItem(reloadedFor) === page.path || !(await isServed())) throw error
    sessionStorage.setItem(reloadedFor, page.path)
    // The router changes the address only after it has loaded the page.
    const address = `/console/${page.path}`
    if (location.pathname.startsWith(address)) location.reload()
    else location.assign(address)
    // The page is being left.
    return new Promise(() => {})
  }
}

async function isServed(): Promise<boolean> {
  const response = await fetch('/console/', { cache: 'no-store' }).catch(() => undefined)
  return response?.ok ?? false
}
