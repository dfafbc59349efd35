/** An error that Stripe returns instead of an object. */
export class Refusal extends Error {
  readonly status: number
  readonly body: { type: string; message: string; code?: string; param?: string } & Record<string, unknown>

  constructor(status: number, body: Refusal['body']) {
    super(body.message)
    this.status = status
    this.body = body
  }
}

export const createInvalidError = (message: string, param?: string, code?: string) =>
  new Refusal(400, { type: 'invalid_request_error', message, ...(param && { param }), ...(code && { code }) })

/** An unknown id in the path gives 404, one in the parameters 400. */
export const createMissingError = (noun: string, id: string, param: string, status: 400 | 404 = 400) =>
  new Refusal(status, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${noun}: '${id}'`,
    param,
  })
