/** Leads to the first field of the page, or of a dialog, that something is wrong with, once it is shown so. */
export function focusFirstError(within: 'main' | '[role=dialog]' = 'main'): void {
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>(`${within} [aria-invalid="true"]`)
    field?.focus()
    // It may have the focus already, and lie behind the save bar that has come since.
    field?.scrollIntoView({ block: 'nearest' })
  })
}
