import { announce } from './announce.ts'

/** Saves a text file. */
export function saveText(name: string, text: string): void {
  const file = new Blob([text], { type: 'text/plain;charset=utf-8' })
  const address = URL.createObjectURL(file)
  Object.assign(document.createElement('a'), { href: address, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
  announce(`Saved as ${name}`)
}
