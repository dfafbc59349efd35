// What other rooms use: DNS checks, throttles.

export { readDkim, readDmarc } from './mail-keys.ts'
export { dkimCheck, dmarcCheck, spfCheck } from './sender-checks.ts'
export { checkReturnPath, checkSignature } from './signature-checks.ts'
export { trySmtp } from './smtp-trial.ts'
export { readSpf } from './spf.ts'
export { findPauseEnd } from './throttle-rules.ts'
export { freeProbes, noteOutcomes, noteReport, openThrottle, passThrottle, viewThrottledDomains } from './throttles.ts'
export { type DomainThrottleRow, readThrottles } from './throttles-sql.ts'
export { trialChecks } from './trial-checks.ts'
