/** Focuses the first invalid field of the page or dialog, once it is rendered. */
export function focusFirstError(within: 'main' | '[role=dialog]' = 'main'): void {
  findError(within, FRAMES)
}

/** React may render the server's errors a few frames later. */
const FRAMES = 30

function findError(within: string, frames: number): void {
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>(`${within} [aria-invalid="true"]`)
    if (!field && frames > 1) return findError(within, frames - 1)
    field?.focus()
    // It may already have the focus but be covered by the save bar.
    field?.scrollIntoView({ block: 'nearest' })
  })
}
