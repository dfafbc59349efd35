import { StoreProblem } from '../platform/store-problem.ts'
import { isRecord, plainText } from '../platform/text.ts'
import type { WooHttp } from './http.ts'

export type CheckoutPage = 'block' | 'classic' | 'unknown'

export interface SystemStatus {
  /** '' when the store does not tell. */
  version: string
  checkout: CheckoutPage
}

/**
 * Version and kind of checkout from the status report. The report measures the whole server and fails on some hosts that are
 * otherwise fine, so its absence is no reason to refuse a store: without a version nothing new is assumed of it.
 */
export async function readSystem(http: WooHttp, signal?: AbortSignal): Promise<SystemStatus> {
  try {
    const query = [['_fields', 'environment.version,pages']] as const
    const { body } = await http.send({ path: '/system_status', query, signal })
    if (!isRecord(body)) return UNKNOWN
    const version = isRecord(body.environment) ? plainText(body.environment.version, 40) : null
    return { version: version ?? '', checkout: checkoutPage(body.pages) }
  } catch (error) {
    if (error instanceof StoreProblem && (error.code === 'store_error' || error.code === 'bad_answer')) return UNKNOWN
    throw error
  }
}

const UNKNOWN: SystemStatus = { version: '', checkout: 'unknown' }

/** Page names are translated; the block or short code a page should have is not. */
function checkoutPage(pages: unknown): CheckoutPage {
  const page = Array.isArray(pages)
    ? pages.filter(isRecord).find((one) => one.block === 'woocommerce/checkout')
    : undefined
  if (!page) return 'unknown'
  if (page.block_present === true) return 'block'
  return page.shortcode_present === true ? 'classic' : 'unknown'
}
