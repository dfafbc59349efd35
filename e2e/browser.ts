import { type Browser, chromium } from 'playwright-core'

const browsers = new Set<Browser>()

/** Those that were opened and not closed. */
export const openBrowsers = (): Browser[] => [...browsers].filter((browser) => browser.isConnected())

export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  browsers.add(browser)
  return browser
}
