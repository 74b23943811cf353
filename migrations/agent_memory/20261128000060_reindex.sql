-- Words are cut again after their rules have changed.
grant delete on profile_document_terms to rmb_operator;
