// The error body of all WordPress REST responses: { code, message, data: { status, ... } }.
export class RestError extends Error {
  readonly status: number
  readonly code: string
  readonly data: Record<string, unknown>

  constructor(status: number, code: string, message: string, data: Record<string, unknown> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.data = data
  }

  body() {
    return { code: this.code, message: this.message, data: { status: this.status, ...this.data } }
  }
}

export type ParamProblem = { code: string; message: string; data: unknown }

export function createInvalidParamsError(problems: Record<string, ParamProblem>): RestError {
  const names = Object.keys(problems)
  const params = Object.fromEntries(names.map((name) => [name, problems[name]!.message]))
  const text = `Invalid parameter(s): ${names.join(', ')}`
  return new RestError(400, 'rest_invalid_param', text, { params, details: problems })
}

export function createMissingParamsError(names: string[]): RestError {
  const text = `Missing parameter(s): ${names.join(', ')}`
  return new RestError(400, 'rest_missing_callback_param', text, { params: names })
}

export function createInvalidIdError(noun: 'order' | 'coupon' | 'product' | 'webhook' | 'customer'): RestError {
  if (noun === 'customer') return new RestError(404, 'wc_user_invalid_id', 'Invalid user ID.')
  if (noun === 'webhook') return new RestError(404, 'woocommerce_rest_shop_webhook_invalid_id', 'ID is invalid.')
  const kind = noun === 'product' ? 'product' : `shop_${noun}`
  return new RestError(404, `woocommerce_rest_${kind}_invalid_id`, 'Invalid ID.')
}
