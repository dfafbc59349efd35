import type { z } from 'zod'

// PUSH_SERVICES: allowed hosts of push services (P3, decision 81). Pure.

/**
 * Sources: Firefox (mozilla-push-service.readthedocs.io), Chrome (firebase.google.com/docs/cloud-messaging), Chromium
 * without Google’s keys, Safari (developer.apple.com, "allow *.push.apple.com") and Edge (learn.microsoft.com, WNS).
 */
const KNOWN = [
  'updates.push.services.mozilla.com',
  'fcm.googleapis.com',
  'jmt17.google.com',
  '*.push.apple.com',
  '*.notify.windows.com',
] as const

export function readPushServices(list: string, context: z.RefinementCtx): readonly string[] {
  const services = list.split(',').flatMap((service) => service.trim().toLowerCase() || [])
  if (!services.every(isServiceName)) {
    context.addIssue('PUSH_SERVICES must be host names such as fcm.googleapis.com or *.push.apple.com, with commas.')
  }
  return Object.freeze(services.length > 0 ? services : KNOWN)
}

function isServiceName(name: string): boolean {
  const labels = (name.startsWith('*.') ? name.slice(2) : name).split('.')
  return labels.length >= 2 && labels.every((label) => /^[a-z0-9-]{1,63}$/.test(label)) && /^[a-z]/.test(labels.at(-1)!)
}
