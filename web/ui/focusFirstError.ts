/** Leads to the first field of the page, or of a dialog, that something is wrong with, once it is shown so. */
export function focusFirstError(within: 'main' | '[role=dialog]' = 'main'): void {
  look(within, FRAMES)
}

/** An answer that came just now may be drawn a few frames later. */
const FRAMES = 30

function look(within: string, frames: number): void {
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>(`${within} [aria-invalid="true"]`)
    if (!field && frames > 1) return look(within, frames - 1)
    field?.focus()
    // It may have the focus already, and lie behind the save bar that has come since.
    field?.scrollIntoView({ block: 'nearest' })
  })
}
