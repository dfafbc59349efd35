// Consent as both sides know it: limits and the words of the one question asked by SMS.

/** Longest wording of a consent box that is kept. */
export const maxConsentWording = 1_000
