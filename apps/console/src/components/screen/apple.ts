/** Whether the browser runs where the command key is what Ctrl is elsewhere. */
export function isApple({ userAgent }: { readonly userAgent: string } = navigator): boolean {
  return /Macintosh|iPhone|iPad/.test(userAgent);
}
