/** The eye button in every password field: keyboard-reachable and labelled. */
export const showPassword = { visibilityToggleButtonProps: { 'aria-label': 'Show or hide the password', tabIndex: 0 } }
