// Enhances the landing page, which works without it.

const isSignedIn = () => {
  try {
    return (sessionStorage.getItem('token') ?? localStorage.getItem('token')) !== null
  } catch {
    return false
  }
}

/** Signed-in visitors get a link to the app instead of sign-in. */
const markMember = () => document.documentElement.toggleAttribute('data-member', isSignedIn())
markMember()
addEventListener('pageshow', markMember)

// At /landing this page has replaced the app's document (A 2.1). Back changes only the address, so reload the matching
// page.
const path = location.pathname
addEventListener('popstate', () => {
  if (location.pathname !== path) location.reload()
})
