import { type Memory, readDevice } from './memory.ts'

// Finds the current cart: from the capture script's memory, or, if the plugin reports carts, from its cookie
// (docs/plugin-protocol.md). The device id reaches the plugin the same way.

interface Source {
  method: string
  memory: Memory
}

const DEVICE_DAYS = 400

/** Token of a non-empty cart. */
export function readCartToken({ method, memory }: Source): string | undefined {
  const known = memory.get('has') === '1' ? memory.get('cart') : undefined
  return known ?? (method === 'plugin' ? readCookie('recoup_cart') : undefined)
}

/** undefined: the browser asks not to be tracked. */
export function loadDevice({ method, memory }: Source): string | undefined {
  if (method !== 'plugin') return memory.get('device')
  const device = readDevice(memory)
  const more = `path=/; max-age=${DEVICE_DAYS * 86_400}; samesite=lax${location.protocol === 'https:' ? '; secure' : ''}`
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that has push.
  if (device) document.cookie = `recoup_device=${device}; ${more}`
  return device
}

const readCookie = (name: string) =>
  document.cookie
    .split('; ')
    .find((each) => each.startsWith(`${name}=`))
    ?.slice(name.length + 1) || undefined
