let unsavedForms = 0

/** Whether something on the screen would be lost, for what leaves it without a change of address. */
export const hasUnsaved = () => unsavedForms > 0

/** A form has changes that are not saved, until what this returns is called. */
export function countUnsaved(): () => void {
  unsavedForms += 1
  return () => {
    unsavedForms -= 1
  }
}
