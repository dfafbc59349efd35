// What the landing page does beyond being read. It works without.

const isSignedIn = () => {
  try {
    return (sessionStorage.getItem('token') ?? localStorage.getItem('token')) !== null
  } catch {
    return false
  }
}

/** Whoever is signed in is offered the way back instead of the way in. */
const greet = () => document.documentElement.toggleAttribute('data-member', isSignedIn())
greet()
addEventListener('pageshow', greet)

// At /landing this page has replaced the browser app inside its document (A 2.1). Going back from there changes only the
// address, so the page that belongs to it has to be asked for.
const path = location.pathname
addEventListener('popstate', () => {
  if (location.pathname !== path) location.reload()
})
