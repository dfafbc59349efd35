/** The eye in every password field: reached by the keyboard, and named. */
export const showPassword = { visibilityToggleButtonProps: { 'aria-label': 'Show or hide the password', tabIndex: 0 } }

/** Where a server's answer says which field is wrong, it stands there alone. */
export const isSaidAtField = (error: { fields?: Record<string, string> } | null) =>
  Object.keys(error?.fields ?? {}).length > 0
