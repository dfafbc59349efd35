// What other rooms use.

export { sendOptInRequests } from './opt-in-request.ts'
