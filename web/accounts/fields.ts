/** The eye button in every password field: keyboard-reachable and labelled. */
export const showPassword = { visibilityToggleButtonProps: { 'aria-label': 'Show or hide the password', tabIndex: 0 } }

/** An error that the server assigns to a field is shown at that field only. */
export const hasFieldError = (error: { fields?: Record<string, string> } | null) =>
  Object.keys(error?.fields ?? {}).length > 0
