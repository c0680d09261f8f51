#include "CAppleNetwork.h"

static _Thread_local bool unimplemented;

void an_set_unimplemented(bool value) { unimplemented = value; }

bool an_is_unimplemented(void) { return unimplemented; }
