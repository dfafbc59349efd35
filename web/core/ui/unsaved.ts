let unsavedForms = 0

/** Whether the screen has unsaved changes, for exits that do not change the address. */
export const hasUnsaved = () => unsavedForms > 0

/** Registers unsaved changes until the returned function is called. */
export function countUnsaved(): () => void {
  unsavedForms += 1
  return () => {
    unsavedForms -= 1
  }
}
