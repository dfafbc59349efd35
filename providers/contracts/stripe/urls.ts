import { createInvalidError } from './errors.ts'

export function assertUrl(url: string, param: string): void {
  if (/^https?:\/\/[^\s/]/.test(url)) return
  throw createInvalidError('Not a valid URL', param, 'url_invalid')
}
