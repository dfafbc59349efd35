import { problem, type RawError, type SmtpListener } from './smtp-connections.ts'

/**
 * Watches the replies to pipelined MAIL, RCPT and DATA (RFC 2920) and calls `stop` before nodemailer acts on the last
 * one, in two cases. First, the server accepts DATA after it refused the recipient: nodemailer would send a lone dot,
 * as the RFC requires, and a faulty server might deliver an empty mail. Second, it replies to DATA with 2xx: then
 * replies and commands are out of step.
 */
export function watchEnvelope(stop: (error: RawError) => void): SmtpListener {
  let isPipelined = false
  let answers = 0
  let refusal: RawError | null = null
  return (side, text) => {
    if (side === 'client') {
      isPipelined ||= answers === 0 && text === 'DATA'
      return
    }
    answers += 1
    const isYes = text.startsWith('2')
    if (answers < 3 && !isYes) refusal ??= refused(answers === 1 ? 'MAIL FROM' : 'RCPT TO', text)
    if (answers !== 3 || !isPipelined) return
    if (isYes) stop(problem('EPROTOCOL', `The server answered DATA with "${text}" instead of 354.`))
    else if (refusal && text.startsWith('3')) stop(refusal)
  }
}

function refused(command: string, response: string): RawError {
  const responseCode = Number.parseInt(response, 10)
  return Object.assign(problem('EENVELOPE', response), { command, response, ...(responseCode && { responseCode }) })
}
